/** The editor with scripts: saves while the author types, and keeps the text in the browser until it is saved. */
import { post, reasonOf } from './page';

interface Stored {
  title: string;
  content: string;
  tags: string[];
  revision: number;
}

interface Answer {
  revision?: number;
  conflict?: Stored;
  html?: string;
  url?: string;
  to?: string;
  code?: string;
  message?: string;
}

const form = document.querySelector<HTMLFormElement>('[data-editor]');
if (form) edit(form);

function edit(form: HTMLFormElement): void {
  // Each tab keeps its text under a key of its own, and holds a lock with this name while it is open.
  const prefix = `draft-${form.dataset.editor}-`;
  sessionStorage.tab ??= crypto.randomUUID();
  const key = prefix + sessionStorage.tab;
  navigator.locks.request(key, () => new Promise(() => {}));
  const messages = JSON.parse(form.dataset.messages ?? '{}') as Record<string, string>;
  const input = <T extends HTMLInputElement>(name: string) => form.elements.namedItem(name) as T;
  const part = (name: string) => form.querySelector<HTMLElement>(`[data-${name}]`);
  const content = form.elements.namedItem('content') as HTMLTextAreaElement;
  const names = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value !== 'string' || ['revision', 'articleId', 'offset', 'publishAt'].includes(name) ? [] : name,
  );
  const read = ({ elements } = form) =>
    Object.fromEntries(names.map((name) => [name, (elements.namedItem(name) as HTMLInputElement).value]));
  // What the author has typed before this script was loaded is not saved yet.
  const page = form.cloneNode(true) as HTMLFormElement;
  page.reset();
  let saved = JSON.stringify(read(page));
  // After a reload, the browser would show the former text with the revision of the page.
  form.autocomplete = 'off';
  let timer: ReturnType<typeof setTimeout> | undefined;
  let firstChange = 0;
  let running: Promise<boolean> | undefined;
  /** While a choice between two texts is open, nothing is saved. */
  let isBlocked = part('conflict')?.hidden === false;
  /** The text in the form belongs to another revision than the one that is stored. */
  const isChanged = () => JSON.stringify(read()) !== saved;

  function say(text = ''): void {
    const state = part('state');
    if (state) state.textContent = text;
  }

  function keep(): void {
    try {
      localStorage.setItem(key, JSON.stringify({ ...read(), revision: input('revision').value }));
    } catch {
      // The storage of the browser is full or disabled: the text is in the form only.
    }
  }

  function fill(values: Record<string, string>): void {
    for (const name of names) if (values[name] !== undefined) input(name).value = values[name];
    count();
  }

  function count(): void {
    const characters = part('characters');
    if (characters)
      characters.textContent = (characters.dataset.text ?? '').replace('0', content.value.length.toLocaleString());
  }

  function showConflict({ title, content: text, revision }: Stored): void {
    isBlocked = true;
    const [box, storedTitle, stored] = [
      part('conflict'),
      part('stored-title'),
      form.querySelector<HTMLTextAreaElement>('[data-stored]'),
    ];
    if (!box || !storedTitle || !stored) return;
    storedTitle.textContent = title;
    stored.value = text;
    box.dataset.revision = String(revision);
    box.hidden = false;
    box.scrollIntoView({ block: 'nearest' });
    say(messages.conflict);
  }

  /** Sends the form. @returns the answer, or undefined after a failure, which it has shown */
  async function send(step: string, more: Record<string, string | File> = {}): Promise<Answer | undefined> {
    const body = new FormData(form);
    body.set('do', step);
    // A cover is sent by its own step, when it was chosen.
    if (step !== 'cover') body.delete('cover');
    for (const [name, value] of Object.entries(more)) body.set(name, value);
    const answer = await post(form.action, body);
    const data = (answer?.data ?? {}) as Answer;
    if (!answer || answer.status >= 500) say(messages.local);
    else if (answer.status === 401) say(messages.out);
    else if (data.conflict) showConflict(data.conflict);
    else if (data.code === 'DRAFT_NOT_FOUND') {
      isBlocked = true;
      say(messages.gone);
      const gone = part('gone');
      if (gone) gone.hidden = false;
    } else if (answer.status === 409) {
      say(messages.changed);
      const changed = part('changed');
      if (changed) changed.hidden = false;
    } else if (answer.status >= 400) say(reasonOf(data, form));
    else return data;
    if (data.revision) input('revision').value = String(data.revision);
    retryLater();
    return undefined;
  }

  /** One save at a time: the next one has the revision of the one before. @returns whether everything is saved */
  async function save(): Promise<boolean> {
    clearTimeout(timer);
    timer = undefined;
    if (running) await running;
    if (isBlocked || !isChanged()) return !isBlocked;
    running = (async () => {
      const sent = JSON.stringify(read());
      say(messages.saving);
      const data = await send('save');
      if (!data) return false;
      input('revision').value = String(data.revision);
      saved = sent;
      firstChange = 0;
      if (isChanged()) schedule();
      else localStorage.removeItem(key);
      say(messages.saved?.replace('%', new Date().toLocaleTimeString()));
      return true;
    })();
    const isSaved = await running;
    running = undefined;
    return isSaved;
  }

  /** After a pause of 1.5 seconds, and every five seconds while the author types. */
  function schedule(): void {
    firstChange ||= Date.now();
    clearTimeout(timer);
    timer = setTimeout(save, Math.max(Math.min(1_500, firstChange + 5_000 - Date.now()), 0));
  }

  function retryLater(): void {
    clearTimeout(timer);
    if (!isBlocked) timer = setTimeout(save, 5_000);
  }

  async function choose(step: string): Promise<void> {
    if (step === 'preview') return togglePreview();
    if (step === 'copy') isBlocked = false;
    else if (!(await save())) return;
    const data = await send(step, step === 'schedule' ? { offset: String(new Date().getTimezoneOffset()) } : {});
    if (data?.revision) input('revision').value = String(data.revision);
    if (!data) return;
    localStorage.removeItem(key);
    if (data.to) location.href = data.to;
    else say(messages.saved?.replace('%', new Date().toLocaleTimeString()));
  }

  async function togglePreview(): Promise<void> {
    const preview = part('preview');
    const button = form.querySelector<HTMLButtonElement>('[value="preview"]');
    if (!preview || !button) return;
    const isOpen = form.classList.contains('previewing');
    if (!isOpen) {
      const data = await send('preview');
      if (data?.html === undefined) return;
      // The service has sanitized it.
      preview.innerHTML = data.html;
    }
    form.classList.toggle('previewing', !isOpen);
    preview.hidden = isOpen;
    const label = button.textContent;
    button.textContent = button.dataset.close ?? '';
    button.dataset.close = label ?? '';
  }

  form.addEventListener('input', (event) => {
    if ((event.target as HTMLInputElement).type === 'file') return;
    count();
    keep();
    if (!isBlocked) schedule();
  });

  form.addEventListener('submit', async (event) => {
    const button = event.submitter as HTMLButtonElement | null;
    const step = button?.name === 'do' ? button.value : 'save';
    // These show a page with more than the state of the text.
    if (button?.name === 'removeImage' || step === 'share') {
      if (isBlocked) event.preventDefault();
      return;
    }
    event.preventDefault();
    if (step === 'delete' && !confirm(messages.removeSure)) return;
    if (button?.matches('[data-keep]')) {
      input('revision').value = part('conflict')?.dataset.revision ?? input('revision').value;
      isBlocked = false;
      saved = '';
      const box = part('conflict');
      if (box) box.hidden = true;
    }
    if (step !== 'save') return choose(step);
    if (!isChanged()) say(messages.saved?.replace('%', new Date().toLocaleTimeString()));
    await save();
  });

  // What is stored replaces what this window has.
  part('take')?.addEventListener('click', () => localStorage.removeItem(key));

  input('cover').addEventListener('change', async () => {
    if (!(await save())) return;
    const data = await send('cover');
    if (data?.to) location.href = data.to;
  });

  const picker = part('image');
  if (picker) picker.hidden = false;
  picker?.querySelector('input')?.addEventListener('change', async ({ target }) => {
    const file = (target as HTMLInputElement).files?.[0];
    const data = file && (await send('image', { file }));
    if (!data?.url) return;
    content.setRangeText(`\n![](${data.url})\n`, content.selectionStart, content.selectionEnd, 'end');
    content.dispatchEvent(new Event('input', { bubbles: true }));
  });

  // Times in the zone of the author.
  const at = input('publishAt');
  const label = form.querySelector('label[for="field-publishAt"]');
  if (label)
    label.textContent = (label.textContent ?? '').replace('UTC', Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (at.value)
    at.value = new Date(Date.parse(`${at.value}Z`) - new Date().getTimezoneOffset() * 60_000)
      .toISOString()
      .slice(0, 16);
  input('offset').value = String(new Date().getTimezoneOffset());

  addEventListener('beforeunload', (event) => {
    if (isChanged()) event.preventDefault();
  });

  /** Restores what this browser kept and did not save: in this tab, or in one that was closed. */
  async function restore(): Promise<void> {
    const { held = [] } = await navigator.locks.query();
    const isOpen = (name: string) => name !== key && held.some((lock) => lock.name === name);
    const found = Object.keys(localStorage).find((name) => name.startsWith(prefix) && !isOpen(name));
    if (!found) {
      if (isChanged()) form.dispatchEvent(new Event('input'));
      return;
    }
    const { revision, ...values } = JSON.parse(localStorage.getItem(found) ?? '{}') as Record<string, string>;
    localStorage.removeItem(found);
    if (JSON.stringify(values) === saved) return;
    fill(values);
    // With the revision that it was based on, so that a later save elsewhere is a conflict.
    input('revision').value = revision ?? input('revision').value;
    keep();
    say(messages.restored);
    schedule();
  }
  restore();
  count();
}
