import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { homeAt } from '../run-state/home.ts'
import { adoptObjects } from './adopt-objects.ts'

const home = homeAt(mkdtempSync(join(tmpdir(), 'palanquin-adopt-')))
afterAll(() => rmSync(home.folder, { recursive: true }))

test('the objects of a home of before get the names of their keys, also after an interruption', async () => {
  const before = join(home.folder, 's3')
  mkdirSync(join(before, 'bodies'), { recursive: true })
  const names = new Database(join(before, 'objects.sqlite'))
  names.run('CREATE TABLE objects (bucket TEXT, key TEXT, body TEXT)')
  for (const [key, body] of [
    ['photos/a.jpg', '0a'],
    ['cards/of/b.png', '0b'],
  ]) {
    names.run('INSERT INTO objects VALUES (?, ?, ?)', ['palanquin', `${key}`, `${body}`])
    writeFileSync(join(before, 'bodies', `${body}`), `bytes of ${key}`)
  }
  names.close()
  mkdirSync(join(home.objects, 'photos'), { recursive: true })
  writeFileSync(join(before, 'bodies', 'of-no-object'), 'x')
  writeFileSync(join(home.objects, 'photos', 'a.jpg'), 'moved already')
  rmSync(join(before, 'bodies', '0a'))

  await adoptObjects(home)
  expect(readFileSync(join(home.objects, 'photos', 'a.jpg'), 'utf8')).toBe('moved already')
  expect(readFileSync(join(home.objects, 'cards', 'of', 'b.png'), 'utf8')).toBe('bytes of cards/of/b.png')
  expect(existsSync(before)).toBe(false)
  await adoptObjects(home)
})
