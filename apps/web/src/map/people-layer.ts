import type { CustomLayerInterface, Map as MapLibre } from 'maplibre-gl'
import type { MovingDots } from './moving-dots.ts'

const VERTEX = `#version 300 es
in vec4 a_way;
uniform mat4 u_matrix;
uniform float u_part;
uniform float u_size;
void main() {
  gl_Position = u_matrix * vec4(mix(a_way.xy, a_way.zw, u_part), 0.0, 1.0);
  gl_PointSize = u_size;
}`
/** A filled circle in a ring, without jags. */
const FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 u_fill;
uniform vec3 u_ring;
uniform float u_size;
out vec4 colour;
void main() {
  float d = length(gl_PointCoord - 0.5) * u_size;
  float edge = u_size * 0.5;
  float alpha = 1.0 - smoothstep(edge - 1.5, edge, d);
  colour = vec4(mix(u_fill, u_ring, smoothstep(edge * 0.66 - 0.75, edge * 0.66 + 0.75, d)) * alpha, alpha);
}`
const DOT_PIXELS = 18

export type PeopleColours = { fill: [number, number, number]; ring: [number, number, number] }

/** All people in one draw call: the shader mixes the last position with the next (web face, section 5). */
export function peopleLayer(
  dots: MovingDots,
  first: PeopleColours,
): CustomLayerInterface & { renew: () => void; colour: (colours: PeopleColours) => void } {
  let colours = first
  let drawn: ((matrix: Float32Array, nowMs: number) => void) | null = null
  let map: MapLibre | null = null
  let isStale = true
  return {
    id: 'people',
    type: 'custom',
    renderingMode: '2d',
    onAdd: (added, gl) => {
      map = added
      const program = createProgram(gl)
      const uniform = (name: string) => gl.getUniformLocation(program, name)
      const [matrixAt, partAt, sizeAt] = [uniform('u_matrix'), uniform('u_part'), uniform('u_size')]
      const [fillAt, ringAt] = [uniform('u_fill'), uniform('u_ring')]
      const vertices = gl.createVertexArray()
      const buffer = gl.createBuffer()
      gl.bindVertexArray(vertices)
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
      gl.bufferData(gl.ARRAY_BUFFER, dots.buffer.byteLength, gl.DYNAMIC_DRAW)
      const way = gl.getAttribLocation(program, 'a_way')
      gl.enableVertexAttribArray(way)
      gl.vertexAttribPointer(way, 4, gl.FLOAT, false, 0, 0)
      gl.bindVertexArray(null)
      isStale = true
      drawn = (matrix, nowMs) => {
        gl.useProgram(program)
        gl.bindVertexArray(vertices)
        if (isStale) {
          gl.bindBuffer(gl.ARRAY_BUFFER, buffer)
          gl.bufferSubData(gl.ARRAY_BUFFER, 0, dots.buffer)
          isStale = false
        }
        gl.uniformMatrix4fv(matrixAt, false, matrix)
        gl.uniform1f(partAt, dots.part(nowMs))
        gl.uniform1f(sizeAt, DOT_PIXELS * devicePixelRatio)
        gl.uniform3fv(fillAt, colours.fill)
        gl.uniform3fv(ringAt, colours.ring)
        gl.drawArrays(gl.POINTS, 0, dots.count())
        gl.bindVertexArray(null)
      }
    },
    render: (_, { defaultProjectionData: { mainMatrix } }) => {
      if (dots.count() === 0) return
      const nowMs = performance.now()
      drawn?.(movedBy(mainMatrix, dots.origin), nowMs)
      if (dots.part(nowMs) < 1) map?.triggerRepaint()
    },
    /** The dots have new positions: they are sent to the graphics processor with the next frame. */
    renew: () => {
      isStale = true
      map?.triggerRepaint()
    },
    colour: (next) => {
      colours = next
      map?.triggerRepaint()
    },
  }
}

/** The matrix for positions relative to an origin, multiplied in double precision. */
function movedBy(matrix: ArrayLike<number>, { x, y }: { x: number; y: number }): Float32Array {
  const moved = Float32Array.from(matrix)
  for (let row = 0; row < 4; row++)
    moved[12 + row] = (matrix[row] ?? 0) * x + (matrix[4 + row] ?? 0) * y + (matrix[12 + row] ?? 0)
  return moved
}

function createProgram(gl: WebGL2RenderingContext): WebGLProgram {
  const program = gl.createProgram()
  for (const [type, source] of [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ] as const) {
    const shader = gl.createShader(type)
    if (shader === null) throw new Error('the graphics context was lost')
    gl.shaderSource(shader, source)
    gl.compileShader(shader)
    gl.attachShader(program, shader)
  }
  gl.linkProgram(program)
  if (!gl.getProgramParameter(program, gl.LINK_STATUS))
    throw new Error(`the dots cannot be drawn: ${gl.getProgramInfoLog(program)}`)
  return program
}
