// On one stack, since each that is started costs some five seconds of processor time: see plain.ts.
import './palanquin.cases.ts'
import './forms.cases.ts'
import './setup.cases.ts'
import './shared.cases.ts'
