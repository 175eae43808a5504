import { announceLink, type LinkDependencies } from './link.ts'

/**
 * Gives the person what a write made for their device's id in the instant in which that was joined. Such a write asked for the
 * owner before the link was there, then waited for the device's row, found it gone, and made it again: without this, a consent
 * that was taken back just then would stay given, and one more participant would be counted. Points need none of this: every
 * flush moves them.
 */
export async function mergeLateWrites(dependencies: LinkDependencies): Promise<void> {
  for (const link of await dependencies.store.namedLate()) {
    await dependencies.store.mergeLate(link)
    await announceLink(dependencies, link)
    dependencies.log.info({ event: 'link.late_write_merged' }, 'A late write of a linked device was merged')
  }
}
