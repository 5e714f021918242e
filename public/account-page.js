/** What the account pages have in common: their texts in the language of the browser, and the actions of their buttons. */

export const one = (selector) => document.querySelector(selector);

/** Translates the elements of the page. @param all texts by language @returns the language, and its texts */
export function translate(all) {
  const language = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in all) ?? 'en';
  const texts = all[language];
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = texts[element.dataset.text] ?? element.textContent;
  }
  return { language, texts };
}

export function report(text) {
  one('#status').textContent = text ?? '';
}

/** Runs one action at a time, and reports its result. @param explain the text for an error */
export async function act(work, explain) {
  const buttons = document.querySelectorAll('main button');
  for (const button of buttons) button.disabled = true;
  try {
    report(await work());
  } catch (error) {
    report(explain(error));
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}
