import { mount } from '../../mount.tsx'
import { MyWalkPage } from './page.tsx'

mount(MyWalkPage)
