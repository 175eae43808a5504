import { mount } from '../../mount.tsx'
import { MapPage } from './page.tsx'

mount(MapPage)
