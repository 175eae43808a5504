// On one stack, since each that is started costs some four seconds of processor time: see plain-stack.ts.
import './survey.cases.ts'
import './pictures.cases.ts'
import './least-privilege.cases.ts'
