/** Elysia searches the path from the 12th character of the URL on, so a shorter host would shift it (measured). */
const HOST_LENGTH_MIN = 4
const HOST_NAME =
  /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])$/
const HOST_LENGTH_MAX = 253

/** Whether a text, in lower case and without a port, is a host name that routes safely. */
export const isHostName = (text: string): boolean =>
  text.length >= HOST_LENGTH_MIN && text.length <= HOST_LENGTH_MAX && HOST_NAME.test(text)

/** The problems of `PUBLIC_HOSTS`. */
export const hostProblems = (hosts: readonly string[]): string[] =>
  hosts
    .filter((host) => !isHostName(host.toLowerCase()))
    .map(
      (host) =>
        `PUBLIC_HOSTS: ${host} is not a host name of ${HOST_LENGTH_MIN} characters or more, without a port`,
    )
