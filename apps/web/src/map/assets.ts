/** Where the build has put a file of the map, as the page's head says. */
export function assetPath(name: 'map-worker' | 'map-styles' | 'map-outlines'): string {
  const path = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content
  if (!path) throw new Error(`this page names no ${name}`)
  return path
}

/** Loads a style sheet once; rejects where it cannot be loaded. */
export function loadStyles(path: string): Promise<void> {
  if (document.querySelector(`link[href="${path}"]`)) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = path
    link.onload = () => resolve()
    link.onerror = () => {
      link.remove()
      reject(new Error(`${path} could not be loaded`))
    }
    document.head.append(link)
  })
}
