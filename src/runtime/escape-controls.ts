/**
 * Text from outside as it is shown: no character of it moves the cursor, changes a colour or turns the direction of writing.
 * Line ends stay. JSON stays the same JSON.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, (character) => {
    return character === "\n" ? "\n" : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** The same where the text must not break the line either. */
export function oneLine(text: string): string {
  return escapeControls(text).replaceAll("\n", "\\n");
}

/** The controls of terminals (C0, DEL, C1), other line ends, and the marks of direction. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
