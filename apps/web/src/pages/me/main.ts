import { keepReturned } from '../../line/returned.ts'
import { mount } from '../../mount.tsx'
import { MyWalkPage } from './page.tsx'

keepReturned()
mount(MyWalkPage)
