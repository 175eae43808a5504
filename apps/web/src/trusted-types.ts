type Policies = {
  createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string; createHTML: (html: string) => string },
  ) => unknown
}

/** Where the browser has Trusted Types: worker scripts of our own origin alone, and never markup from a string. */
export function installTrustedTypes(): void {
  const policies: Policies | undefined = Reflect.get(window, 'trustedTypes')
  policies?.createPolicy('default', {
    createScriptURL: (url) => {
      if (new URL(url, location.href).origin !== location.origin)
        throw new TypeError(`a script of another origin: ${url}`)
      return url
    },
    createHTML: (html) => html.replace(/[<>&]/g, ''),
  })
}
