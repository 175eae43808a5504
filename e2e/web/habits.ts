/** What phones and browsers do to pages: scripts that run before a page's own, or in it. */

/** A clock that is so many milliseconds wrong. */
export const wrongClock = (byMs: number): string => `{
  const Right = Date
  Date = class extends Right {
    constructor(...given) { if (given.length === 0) super(Right.now() + ${byMs}); else super(...given) }
    static now() { return Right.now() + ${byMs} }
  }
}`

/** The position of a phone whose fix has this time, an expression in JavaScript. */
export const fixOf = (timestamp: string): string => `{
  const coords = { latitude: 24.3457, longitude: 120.6238, accuracy: 8, altitude: null, altitudeAccuracy: null, heading: NaN, speed: NaN }
  navigator.geolocation.watchPosition = (give) => setTimeout(() => give({ coords, timestamp: ${timestamp} }), 20)
  navigator.geolocation.getCurrentPosition = navigator.geolocation.watchPosition
}`

/** A browser in which IndexedDB: cannot be opened; does not answer; cannot be opened once. */
export const brokenStore = {
  always: `IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError') }`,
  silent: `IDBFactory.prototype.open = () => Object.setPrototypeOf(new EventTarget(), IDBOpenDBRequest.prototype)`,
  once: `{
    const { open } = IDBFactory.prototype
    IDBFactory.prototype.open = () => {
      IDBFactory.prototype.open = open
      throw new DOMException('', 'UnknownError')
    }
  }`,
}

/** What a browser's translation does: each text gives its place to an element with another text, now and whenever one comes. */
export const TRANSLATE = `{
  const translated = new WeakSet()
  const translate = (text) => {
    if (translated.has(text) || text.data.trim() === '' || text.parentElement === null) return
    const [outer, inner] = [document.createElement('font'), document.createElement('font')]
    const words = new Text('⟦' + text.data + '⟧')
    translated.add(words)
    inner.append(words)
    outer.append(inner)
    text.replaceWith(outer)
  }
  const all = (node) => {
    if (node instanceof Text) return translate(node)
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    const found = []
    while (texts.nextNode()) found.push(texts.currentNode)
    found.forEach(translate)
  }
  new MutationObserver((changes) => changes.forEach(({ type, target, addedNodes }) =>
    type === 'characterData' ? all(target) : addedNodes.forEach(all)
  )).observe(document.body, { childList: true, characterData: true, subtree: true })
  all(document.body)
}`
