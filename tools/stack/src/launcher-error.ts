/**
 * An error that a user can act on: only its message is printed, without a stack trace, and the launcher
 * exits.
 */
export class LauncherError extends Error {
  constructor(
    sentence: string,
    readonly exitCode = 1,
  ) {
    super(sentence)
    this.name = 'LauncherError'
  }
}
