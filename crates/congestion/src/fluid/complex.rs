//! As much complex arithmetic as a frequency response needs.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Complex {
    pub re: f64,
    pub im: f64,
}

impl Complex {
    /// `e` to the power of `i phase`.
    pub(super) fn turn(phase: f64) -> Self {
        Self { re: phase.cos(), im: phase.sin() }
    }
    pub(super) fn imaginary(im: f64) -> Self {
        Self { re: 0.0, im }
    }
    pub(super) fn abs(self) -> f64 {
        self.re.hypot(self.im)
    }
    pub(super) fn arg(self) -> f64 {
        self.im.atan2(self.re)
    }
}

impl From<f64> for Complex {
    fn from(re: f64) -> Self {
        Self { re, im: 0.0 }
    }
}

impl Add for Complex {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Neg for Complex {
    type Output = Self;
    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl Mul for Complex {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Mul<f64> for Complex {
    type Output = Self;
    fn mul(self, by: f64) -> Self {
        Self { re: self.re * by, im: self.im * by }
    }
}

impl Div for Complex {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let norm = other.re * other.re + other.im * other.im;
        let top = self * Self { re: other.re, im: -other.im };
        Self { re: top.re / norm, im: top.im / norm }
    }
}
