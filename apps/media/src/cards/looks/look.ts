/** How a card of one level looks: its scene and the colours of what is written on it. */
export type Look = {
  /** Of names and figures, on this scene. */
  ink: string
  /** Of what is said more quietly. */
  soft: string
  /** Of the title and the bar of progress. */
  accent: string
  /** Of the bar where it is empty, and of lines between figures. */
  line: string
  /** The whole card without a word on it, as SVG content. */
  scene: () => string
}
