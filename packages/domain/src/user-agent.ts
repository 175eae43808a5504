/** The first that fits counts: browsers name those before them as well. */
const BROWSERS = [
  [/\bLine\//, 'LINE'],
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'Chromebook'],
  [/\bLinux\b/, 'Linux'],
] as const

type Names = readonly (readonly [RegExp, string])[]

/** A device as its owner would call it, `iPhone · Safari`; null where nothing is known. */
export function deviceNameOf(userAgent: string): string | null {
  const first = (names: Names) => names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? []
  return [first(SYSTEMS), first(BROWSERS)].flat().join(' · ') || null
}
