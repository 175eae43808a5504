/** The little of it that bakes letters: the package brings no types. */
declare module '@shuding/opentype.js' {
  type Glyph = {
    index: number
    advanceWidth?: number
    getPath: (x: number, y: number, fontSize: number) => { toPathData: (decimals: number) => string }
  }
  const opentype: {
    parse: (file: ArrayBuffer) => { unitsPerEm: number; charToGlyph: (letter: string) => Glyph }
  }
  export default opentype
}
