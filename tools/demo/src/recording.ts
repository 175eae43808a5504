import { type Recording, readRecording as read } from '@palanquin/recordings/recording'
import { Unreadable } from '@palanquin/recordings/unreadable'
import { LauncherError } from '@palanquin/stack/launcher-error'

/** Reads a recording of any format, recognised by its content. @throws LauncherError when it is none of them */
export function readRecording(bytes: Uint8Array): Recording {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof Unreadable) throw new LauncherError(error.message)
    throw error
  }
}
