import { mount } from '../../mount.tsx'
import { NotFoundPage } from './page.tsx'

mount(NotFoundPage)
