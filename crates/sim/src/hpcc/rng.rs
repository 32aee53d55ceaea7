//! MRG32k3a, L'Ecuyer's combined multiple recursive generator, with the jumps between its streams.
//!
//! The reference makes a new generator object for every draw, and every object takes the next stream. So draw
//! number i of a run is the *first* output of stream `first + i`. Streams are 2¹²⁷ steps apart, substreams
//! (the run number) 2⁷⁶. The state at the start of the next stream is the state at the start of this one
//! times a fixed matrix, so a draw costs two 3×3 products here instead of a jump from the seed.

/// Modulus of the first component.
const M1: u64 = 4_294_967_087;
/// Modulus of the second component.
const M2: u64 = 4_294_944_443;
const A12: u64 = 1_403_580;
const A13N: u64 = 810_728;
const A21: u64 = 527_612;
const A23N: u64 = 1_370_589;
/// 1 / (M1 + 1): the outputs lie strictly between 0 and 1.
const NORM: f64 = 2.328306549295728e-10;

/// Steps between streams, and between substreams, as powers of two.
const STREAM_LOG2: u32 = 127;
const SUBSTREAM_LOG2: u32 = 76;

type Matrix = [[u64; 3]; 3];
type Vector = [u64; 3];

const STEP1: Matrix = [[0, 1, 0], [0, 0, 1], [M1 - A13N, A12, 0]];
const STEP2: Matrix = [[0, 1, 0], [0, 0, 1], [M2 - A23N, 0, A21]];

/// The outputs of one stream, in order.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    s1: Vector,
    s2: Vector,
}

impl Stream {
    /// Stream `stream`, substream `substream` of the generator whose six state words all are `seed`.
    pub(crate) fn new(seed: u32, stream: u64, substream: u64) -> Self {
        let start = [u64::from(seed); 3];
        let to1 = multiply(
            &power(&doubled(&STEP1, STREAM_LOG2, M1), stream, M1),
            &power(&doubled(&STEP1, SUBSTREAM_LOG2, M1), substream, M1),
            M1,
        );
        let to2 = multiply(
            &power(&doubled(&STEP2, STREAM_LOG2, M2), stream, M2),
            &power(&doubled(&STEP2, SUBSTREAM_LOG2, M2), substream, M2),
            M2,
        );
        Stream { s1: apply(&to1, &start, M1), s2: apply(&to2, &start, M2) }
    }

    /// The next output, uniform in (0, 1).
    pub(crate) fn next(&mut self) -> f64 {
        let p1 = first1(&self.s1);
        self.s1 = [self.s1[1], self.s1[2], p1];
        let p2 = first2(&self.s2);
        self.s2 = [self.s2[1], self.s2[2], p2];
        output(p1, p2)
    }
}

/// One draw from each stream in turn.
#[derive(Clone, Debug)]
pub(crate) struct StreamPerDraw {
    /// The start of the stream that the next draw takes.
    at: Stream,
    jump1: Matrix,
    jump2: Matrix,
    draws: u64,
}

impl StreamPerDraw {
    /// Draws from stream `first`, `first + 1`, … of substream `substream`.
    pub(crate) fn new(seed: u32, first: u64, substream: u64) -> Self {
        StreamPerDraw {
            at: Stream::new(seed, first, substream),
            jump1: doubled(&STEP1, STREAM_LOG2, M1),
            jump2: doubled(&STEP2, STREAM_LOG2, M2),
            draws: 0,
        }
    }

    /// The first output of the next stream, uniform in (0, 1).
    #[inline]
    pub(crate) fn draw(&mut self) -> f64 {
        let value = output(first1(&self.at.s1), first2(&self.at.s2));
        self.skip();
        value
    }

    /// Takes a stream whose output nobody looks at.
    #[inline]
    pub(crate) fn skip(&mut self) {
        self.at.s1 = apply(&self.jump1, &self.at.s1, M1);
        self.at.s2 = apply(&self.jump2, &self.at.s2, M2);
        self.draws += 1;
    }

    /// How many streams have been taken.
    pub(crate) fn draws(&self) -> u64 {
        self.draws
    }
}

#[inline]
fn first1(s: &Vector) -> u64 {
    // Products are below 2^53; the second is taken from a multiple of the modulus that exceeds it.
    (A12 * s[1] + A13N * M1 - A13N * s[0]) % M1
}

#[inline]
fn first2(s: &Vector) -> u64 {
    (A21 * s[2] + A23N * M2 - A23N * s[0]) % M2
}

#[inline]
fn output(p1: u64, p2: u64) -> f64 {
    let difference = if p1 > p2 { p1 - p2 } else { p1 + M1 - p2 };
    difference as f64 * NORM
}

/// Every entry is below 2³², so a product is below 2⁶⁴; the sum of three needs one reduction each.
#[inline]
fn apply(a: &Matrix, v: &Vector, m: u64) -> Vector {
    a.map(|row| (row[0] * v[0] % m + row[1] * v[1] % m + row[2] * v[2] % m) % m)
}

fn multiply(a: &Matrix, b: &Matrix, m: u64) -> Matrix {
    let mut product = [[0; 3]; 3];
    for (i, row) in product.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = (0..3).map(|k| a[i][k] * b[k][j] % m).sum::<u64>() % m;
        }
    }
    product
}

/// `a` to the power `2^log2`.
fn doubled(a: &Matrix, log2: u32, m: u64) -> Matrix {
    (0..log2).fold(*a, |square, _| multiply(&square, &square, m))
}

/// `a` to the power `n`.
fn power(a: &Matrix, mut n: u64, m: u64) -> Matrix {
    let mut result = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut square = *a;
    while n > 0 {
        if n & 1 == 1 {
            result = multiply(&result, &square, m);
        }
        square = multiply(&square, &square, m);
        n >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The jump matrices of L'Ecuyer, Simard, Chen and Kelton, "An object-oriented random-number package with
    /// many long streams and substreams" (2002): A2 to 2^76, A1 and A2 to 2^127.
    #[test]
    fn the_jump_matrices_are_the_published_ones() {
        assert_eq!(
            doubled(&STEP2, 76, M2),
            [
                [1_511_326_704, 3_759_209_742, 1_610_795_712],
                [4_292_754_251, 1_511_326_704, 3_889_917_532],
                [3_859_662_829, 4_292_754_251, 3_708_466_080],
            ]
        );
        assert_eq!(
            doubled(&STEP1, 127, M1),
            [
                [2_427_906_178, 3_580_155_704, 949_770_784],
                [226_153_695, 1_230_515_664, 3_580_155_704],
                [1_988_835_001, 986_791_581, 1_230_515_664],
            ]
        );
        assert_eq!(
            doubled(&STEP2, 127, M2),
            [
                [1_464_411_153, 277_697_599, 1_610_723_613],
                [32_183_930, 1_464_411_153, 1_022_607_788],
                [2_824_425_944, 32_183_930, 2_093_834_863],
            ]
        );
    }

    /// The published first output of the generator seeded with 12345 in all six words.
    #[test]
    fn the_first_output_is_the_published_one() {
        let mut stream = Stream::new(12345, 0, 0);
        assert_eq!(format!("{:.12}", stream.next()), "0.127011122047");
    }

    #[test]
    fn a_draw_from_each_stream_is_the_first_output_of_each() {
        let mut draws = StreamPerDraw::new(1, 1000, 1);
        for i in 0..50 {
            assert_eq!(draws.draw(), Stream::new(1, 1000 + i, 1).next());
        }
        assert_eq!(draws.draws(), 50);
    }
}
