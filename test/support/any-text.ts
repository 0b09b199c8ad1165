import fc from "fast-check";

/** Texts of any characters, control characters and halves of characters among them. */
export function anyText(constraints: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> {
  return fc
    .array(fc.oneof(fc.nat({ max: 0x7f }), fc.nat({ max: 0xffff })), constraints)
    .map((codes) => String.fromCharCode(...codes));
}
