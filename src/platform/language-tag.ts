/** Language tags (BCP 47) as authors write them and as they are stored. */

export const MAX_LANGUAGE_LENGTH = 35;

/** The tag in its canonical form, such as `ko-KR` for `KO-kr`; null if the text is no tag, or too long. */
export function canonicalLanguage(text: string): string | null {
  // Before the tag is parsed, which takes long for a long text.
  if (text.length > MAX_LANGUAGE_LENGTH) return null;
  try {
    const [tag = ''] = Intl.getCanonicalLocales(text);
    return tag.length <= MAX_LANGUAGE_LENGTH ? tag : null;
  } catch {
    return null;
  }
}
