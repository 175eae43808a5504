/**
 * Tells the styles (`--scrollbar`) how wide the page's own scrollbar is, where it takes room: `100vw` counts it, and what is as wide as
 * the window would have to be scrolled sideways.
 */
export function measureScrollbar(): void {
  const root = document.documentElement
  new ResizeObserver(() => {
    root.style.setProperty('--scrollbar', `${innerWidth - root.clientWidth}px`)
  }).observe(root)
}
