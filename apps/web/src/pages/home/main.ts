import { mount } from '../../mount.tsx'
import { HomePage } from './page.tsx'

mount(HomePage)
