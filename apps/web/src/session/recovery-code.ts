import { keepDraft, readDraft } from '../drafts.ts'

const RECOVERY = 'recovery-code'

/** Keeps a new recovery code until its person has noted it down. */
export const keepRecoveryCode = (code: string | undefined): Promise<void> => keepDraft(RECOVERY, code)
/** The recovery code that was not yet noted down. */
export const openRecoveryCode = (): Promise<string | undefined> => readDraft<string>(RECOVERY)
export const recoveryCodeNoted = (): Promise<void> => keepRecoveryCode(undefined)
