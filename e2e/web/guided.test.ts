// On one stack, since each that is started costs some five seconds of processor time: see guided.ts.
import './map.cases.ts'
import './pages.cases.ts'
import './keyboard.cases.ts'
import './no-script.cases.ts'
