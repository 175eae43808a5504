// What LINE's script gives a page inside LINE, as far as our pages use it: the ID token from the fragment, kept for the tab.
;(() => {
  const KEPT = 'liff-stand-in'
  const fragment = new URLSearchParams(location.hash.slice(1))
  let token = null
  window.liff = {
    init: async ({ liffId }) => {
      if (!liffId) throw new Error('liffId is missing')
      const given = fragment.get('id_token')
      if (given !== null) {
        sessionStorage.setItem(KEPT, given)
        history.replaceState(history.state, '', location.pathname + location.search)
      }
      token = sessionStorage.getItem(KEPT)
    },
    isInClient: () => token !== null,
    isLoggedIn: () => token !== null,
    getIDToken: () => token,
    closeWindow: () => window.close(),
  }
})()
