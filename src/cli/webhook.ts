/** `daybook webhook`: webhooks, and messages for a program on this machine. */
import type { OperatorOptions } from './operator.js';
import type { About, Subcommands } from './subcommand.js';
import { wholeNumber } from './subcommand.js';
import type { ListenOptions } from './webhook/listen.js';
import type { AddWebhookOptions, ResumeWebhookOptions } from './webhook/run.js';

const GROUP: About = {
  summary: 'administer webhooks, and develop their receivers',
  description: 'Webhooks send messages about changes of the public journal to other programs (docs/webhooks.md).',
  examples: [
    ['npx daybook webhook listen --forward http://localhost:8888/hook', 'messages to a program on this machine'],
  ],
};

const LIST: About = {
  summary: 'list the webhooks',
  description: 'One line for each: ID, URL, events, and what waits or why it is disabled.',
  examples: [['npx daybook webhook list', 'all webhooks']],
};

const ADD: About = {
  summary: 'create a webhook, and print its secret',
  description:
    'The secret is stored encrypted, and cannot be printed again. The webhook receives what changes from now on.',
  examples: [
    [
      'npx daybook webhook add https://hooks.example.org/build --event changes',
      'one message for each burst of changes',
    ],
    ['npx daybook webhook add https://hooks.example.org/ --event article.created article.removed', 'two events'],
  ],
};

const RESUME: About = {
  summary: 'enable a webhook again',
  description: 'It continues where it stopped, with the message that waits, or at another position.',
  examples: [
    ['npx daybook webhook resume 1', 'where it stopped'],
    ['npx daybook webhook resume 1 --since latest', 'with what changes from now on'],
  ],
};

const REMOVE: About = {
  summary: 'delete a webhook',
  description:
    'Its message that waits and its attempts are deleted too. It is confirmed on the terminal or with --yes.',
  examples: [['npx daybook webhook remove 1 --yes', 'without a confirmation']],
};

const LISTEN: About = {
  summary: 'send what changes to a program on this machine, until Ctrl+C',
  description: `
For the development of a receiver: no webhook is created, nothing is stored, and a message is sent once. The messages have the same form and
signatures as those of webhooks. The service has to run: it gives the changes their order.`.trim(),
  examples: [
    ['npx daybook webhook listen --forward http://localhost:8888/hook', 'all events'],
    ['npx daybook webhook listen --forward http://localhost:8888/hook --event changes', 'one message for each burst'],
  ],
};

const EVENTS = 'such as article.created, or changes (docs/webhooks.md)';

export function addWebhook({ addGroup, terminal }: Subcommands): void {
  const { add, withExitCode } = addGroup('webhook', GROUP);
  add('list', LIST).action(
    withExitCode(async () => {
      const { listWebhooks } = await import('./webhook/run.js');
      return listWebhooks(terminal);
    }),
  );
  add('add', ADD)
    .argument('<url>', 'where messages are sent')
    .requiredOption('--event <events...>', EVENTS)
    .action(
      withExitCode(async (url: string, options: AddWebhookOptions) => {
        const { createWebhook } = await import('./webhook/run.js');
        return createWebhook(url, options, terminal);
      }),
    );
  add('resume', RESUME)
    .argument('<id>', 'ID of the webhook', (text) => wholeNumber(text, 1))
    .option('--since <cursor>', 'a cursor of the feed of changes or of an attempt, or latest')
    .action(
      withExitCode(async (id: number, options: ResumeWebhookOptions) => {
        const { resume } = await import('./webhook/run.js');
        return resume(id, options, terminal);
      }),
    );
  add('remove', REMOVE)
    .argument('<id>', 'ID of the webhook', (text) => wholeNumber(text, 1))
    .option('-y, --yes', 'do not ask for a confirmation')
    .action(
      withExitCode(async (id: number, options: OperatorOptions) => {
        const { remove } = await import('./webhook/run.js');
        return remove(id, options, terminal);
      }),
    );
  add('listen', LISTEN)
    .requiredOption('--forward <url>', 'where messages are sent')
    .option('--event <events...>', `${EVENTS}; all but changes by default`)
    .option('--secret <secret>', 'the secret of the signatures; printed at the start by default')
    .action(
      withExitCode(async (options: ListenOptions) => {
        const { listen } = await import('./webhook/listen.js');
        return listen(options, terminal);
      }),
    );
}
