/** What somebody needs who is not yet a participant: their chunk comes to them alone. */
export { Join } from '../me/join.tsx'
export { RecoveryCode } from '../me/recovery.tsx'
