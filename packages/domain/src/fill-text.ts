/** Puts values into a text: `fill('{n} km', { n: 3 })` is `3 km`. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
