import node from '@astrojs/node';
import { defineConfig } from 'astro/config';

export default defineConfig({
  output: 'server',
  adapter: node({ mode: 'standalone' }),
  // The pages have no inline scripts and styles, so that the Content-Security-Policy of src/middleware.ts permits none.
  build: { inlineStylesheets: 'never', assets: 'assets' },
  vite: { build: { assetsInlineLimit: 0 } },
  // src/middleware.ts compares the origin with the Host header. Astro would need the names of all hosts at build time.
  security: { checkOrigin: false },
  // Images have their sizes from the service.
  image: { service: { entrypoint: 'astro/assets/services/noop' } },
  devToolbar: { enabled: false },
  server: { port: 4001 },
});
