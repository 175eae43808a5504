/** Nearly every client writes the name so, and the id first. The bound keeps white space from being walked for long. */
const NAMED = /"userId"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{1,64})"/

/**
 * The `userId` that a JSON body seems to name; undefined where none is found so. The text is not parsed: only the service says
 * what it names, and refuses to act where that is another.
 */
export const namedUserIn = (json: string): string | undefined => NAMED.exec(json)?.[1]
