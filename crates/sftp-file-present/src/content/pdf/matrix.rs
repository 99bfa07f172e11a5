//! Transformations of a page (ISO 32000-1, 8.3.3).

/// `[a b c d e f]`, as the operators `cm` and `Tm` take it.
pub(super) type Matrix = [f32; 6];
pub(super) const IDENTITY: Matrix = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];

pub(super) fn product(first: Matrix, then: Matrix) -> Matrix {
    let [a, b, c, d, e, f] = first;
    let [g, h, i, j, k, l] = then;
    [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l]
}

pub(super) fn determinant([a, b, c, d, _, _]: Matrix) -> f32 {
    (a * d - b * c).abs()
}
