// On one stack, since each that is started costs some five seconds of processor time: see signed-in.ts.
import './join.cases.ts'
import './recording.cases.ts'
import './habits.cases.ts'
