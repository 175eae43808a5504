import { mount } from '../../mount.tsx'
import { LostPage } from './page.tsx'

mount(LostPage)
