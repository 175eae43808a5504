/**
 * Points in a few bytes each, as text (base64 behind a `1`): a walk's JSON has some 50 characters a point, this 13. A point is
 * its layout, then its numbers as differences from the point before, each in as few bytes as it needs (zigzag, LEB128). A number
 * that is not exactly so many decimals is a double, so that all come back as they were.
 */
export const PACKED_MARK = '1'
export const POINTS_MAX = 1_000

/** Of degrees, and of other measures. */
export const PLACE_SCALE = 10_000_000
export const MEASURE_SCALE = 100

/**
 * Bits of a layout: the first says that the place is two doubles, and two for each measure (accuracy, speed, altitude, heading,
 * battery) whether it is absent, scaled or a double. It is written as the difference (XOR) from the layout before.
 */
export const DOUBLE_PLACE = 1
export const SCALED = 1
export const DOUBLE = 2
export const MEASURES = 5
export const LAYOUT_BITS = (1 << (1 + 2 * MEASURES)) - 1
/** A layout of two bytes, a time of eight, seven doubles. */
export const POINT_BYTES_MAX = 66
