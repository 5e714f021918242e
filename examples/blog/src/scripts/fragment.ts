/** Takes the token of a link out of the address, which then is in no history, and puts it into the form of the page. */
const form = document.querySelector<HTMLFormElement>('[data-token-form]');

function takeToken(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  if (!form) {
    // The link was opened in the tab that shows what became of the form before.
    location.assign(`${location.pathname}?again${location.hash}`);
    return;
  }
  history.replaceState(null, '', location.pathname);
  (form.elements.namedItem('token') as HTMLInputElement).value = token;
  form.hidden = false;
  for (const other of document.querySelectorAll<HTMLElement>('[data-no-token]')) other.hidden = true;
  if (form.dataset.submit !== undefined) form.requestSubmit();
}

takeToken();
addEventListener('hashchange', takeToken);
