/** What is kept of the person who is signed in. No page writes an id into an address: those end up in logs and histories. */
export const OWN_PATH = '/user/@me'
