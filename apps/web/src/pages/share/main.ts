import { mount } from '../../mount.tsx'
import { SharePage } from './page.tsx'

mount(SharePage)
