/**
 * The fonts of the map's texts: those of the pages (styles/base.css), so that a phone draws both in one. A name of a
 * single generic family would be the browser's default, which is another font than the page's on many machines.
 */
export const TEXT_FONT = [
  'system-ui',
  '-apple-system',
  'PingFang TC',
  'Noto Sans TC',
  'Microsoft JhengHei',
  'sans-serif',
]
