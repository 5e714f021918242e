/** Container images without a container engine: built by buildah, run in a mount namespace of their own. */
import { execFile } from 'node:child_process';
import { chown, cp, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ROOT } from '../../src/cli/generate/files.js';

const run = promisify(execFile);

export interface Image {
  /** Megabytes that the image adds to its base. */
  addedMegabytes: number;
  /** The command to run in the container. */
  command: string[];
  /** The command of HEALTHCHECK. */
  healthcheck: string[];
  /** Creates a folder with the owner that a new volume has. */
  createVolume(folder: string): Promise<void>;
  /** The command line that runs a command as the user of the image, in a new container whose root is read-only. */
  inNewContainer(command: readonly string[], environment: readonly string[], volume: string): string[];
  /** The same in the running container of a process. */
  inContainerOf(pid: number, command: readonly string[], user?: string): string[];
  remove(): Promise<void>;
}

/** Builds the Dockerfile. @param folder for the images, empty */
export async function buildImage(folder: string): Promise<Image> {
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const buildah = async (...args: string[]) =>
    (await run('buildah', [...storage, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
  const base = await buildah('from', 'scratch');
  const baseRoot = await buildah('mount', base);
  await installDebian(baseRoot);
  await buildah('commit', '--quiet', base, 'base');
  const options = [
    '--format',
    'docker',
    '--isolation',
    'chroot',
    // The filter is applied to each system call: npm makes many.
    '--security-opt',
    'seccomp=unconfined',
    '--network',
    'host',
    '--build-arg',
    'NODE_IMAGE=base',
  ];
  const cache = join(homedir(), '.npm');
  await mkdir(cache, { recursive: true });
  await buildah('bud', ...options, '--volume', `${cache}:/root/.npm`, '--tag', 'daybook', fileURLToPath(ROOT));
  const root = await buildah('mount', await buildah('from', 'daybook'));
  const { config } = JSON.parse(await buildah('inspect', '--type', 'image', 'daybook')).Docker as Inspected;
  const [volumePath = ''] = Object.keys(config.Volumes);
  const asUser = (command: readonly string[], environment: readonly string[] = [], user = config.User) => [
    ...['chroot', `--userspec=${user}`, root, '/usr/bin/env', '-i', '-C', config.WorkingDir],
    ...config.Env,
    ...environment,
    ...command,
  ];
  return {
    addedMegabytes: (await megabytesIn(root)) - (await megabytesIn(baseRoot)),
    command: [...config.Entrypoint, ...config.Cmd],
    healthcheck: config.Healthcheck.Test.slice(1),
    createVolume: async (path) => {
      const { uid, gid, mode } = await stat(join(root, volumePath));
      await mkdir(path, { mode });
      await chown(path, uid, gid);
    },
    inNewContainer: (command, environment, volume) => [
      ...['unshare', '--mount', 'sh', '-ec', MOUNT, 'sh', root, volume, join(root, volumePath)],
      ...asUser(command, environment),
    ],
    inContainerOf: (pid, command, user) => [
      ...['nsenter', `--target=${pid}`, '--mount', '--'],
      ...asUser(command, [], user),
    ],
    remove: async () => {
      await buildah('rm', '--all');
    },
  };
}

/** What docker run mounts with --read-only and --tmpfs /tmp. */
const MOUNT = `
root=$1 volume=$2 data=$3; shift 3
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount --bind "$volume" "$data"
mount -t tmpfs tmpfs "$root/tmp"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec "$@"`;

interface Inspected {
  config: {
    User: string;
    Env: string[];
    Entrypoint: string[];
    Cmd: string[];
    WorkingDir: string;
    Volumes: Record<string, unknown>;
    Healthcheck: { Test: string[] };
  };
}

/** What the Dockerfile needs of Debian, with the Node and npm of this machine, and the user `node`, as in the official images. */
async function installDebian(root: string): Promise<void> {
  const [, codename = ''] = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8')) ?? [];
  // Extracted packages take a quarter of the time of installed ones, whose scripts would create the files of users.
  const packages = '--include=coreutils,dash,findutils,libstdc++6';
  await run('mmdebstrap', ['--quiet', '--variant=extract', packages, codename, root]);
  await writeFile(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n');
  await writeFile(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  const local = join(root, 'usr/local');
  const npm = join(dirname(process.execPath), '../lib/node_modules/npm');
  await cp(process.execPath, join(local, 'bin/node'));
  await cp(npm, join(local, 'lib/node_modules/npm'), { recursive: true });
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  // The packages of the last npm ci on this machine, and its certificate authorities.
  const certificates = '/etc/ssl/certs/ca-certificates.crt';
  await mkdir(join(local, 'etc'), { recursive: true });
  await writeFile(join(local, 'etc/npmrc'), `prefer-offline=true\ncafile=${certificates}\n`);
  await mkdir(dirname(join(root, certificates)), { recursive: true });
  await cp(certificates, join(root, certificates), { dereference: true });
}

async function megabytesIn(folder: string): Promise<number> {
  const { stdout } = await run('du', ['--summarize', '--one-file-system', '--apparent-size', '--block-size=1', folder]);
  return Number.parseInt(stdout, 10) / 1e6;
}
