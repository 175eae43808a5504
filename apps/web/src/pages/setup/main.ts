import { mount } from '../../mount.tsx'
import { SetupPage } from './page.tsx'

mount(SetupPage)
