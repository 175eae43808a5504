// On one stack, since each that is started costs some four seconds of processor time.
import './withdrawal.cases.ts'
import './arrival.cases.ts'
import './security.cases.ts'
import './request-log.cases.ts'
