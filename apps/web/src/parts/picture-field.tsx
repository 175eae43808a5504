/** One picture, of the kinds that the service takes. `id` is that of the hint. */
export function PictureField({
  id,
  name,
  hint,
  onChange,
}: {
  id: string
  name: string
  hint: string
  onChange: (picture: File | null) => void
}) {
  return (
    <label class="field">
      <span class="field-name">{name}</span>
      <input
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-describedby={id}
        onChange={({ currentTarget }) => onChange(currentTarget.files?.[0] ?? null)}
      />
      <span id={id} class="small">
        {hint}
      </span>
    </label>
  )
}
