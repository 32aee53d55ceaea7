//! Values that are one of a few words: one table for reading, writing and suggesting.

/// An enum whose variants are words in a configuration file.
pub trait Keyword: Copy + PartialEq + 'static {
    /// What it is, with its article, for error messages.
    const WHAT: &'static str;
    /// Every word and its value.
    const ALL: &'static [(&'static str, Self)];

    /// The word of this value.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

/// Declares an enum of words: `pub enum Name: "a thing" { #[default] First = "first", … }`.
macro_rules! keywords {
    ($(#[$meta:meta])* pub enum $name:ident: $what:literal { $($(#[$vmeta:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $crate::text::Keyword for $name {
            const WHAT: &'static str = $what;
            const ALL: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::text::Keyword::word(*self))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::text::Keyword::word(*self))
            }
        }
    };
}
pub(crate) use keywords;
