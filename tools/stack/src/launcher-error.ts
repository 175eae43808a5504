/** Something a person can act on: its message is printed as it stands, without a stack, and the launcher exits. */
export class LauncherError extends Error {
  constructor(
    sentence: string,
    readonly exitCode = 1,
  ) {
    super(sentence)
    this.name = 'LauncherError'
  }
}
