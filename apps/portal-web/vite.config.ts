import { defineConfig } from 'vite';

/** The modules that send the first calls, with those that Vite adds to load the rest. */
const early = /portal-web\/src\/(early|links|theme|time-zone)\.ts$|preload-helper/;

/** The pages of the portal: served by it below /console/, nothing inline, nothing from elsewhere. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  // Also where the journeys build them, with NODE_ENV of the tests: React for developers is larger and slower.
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', development: false } },
  build: {
    outDir: '../../dist/apps/portal/web',
    emptyOutDir: true,
    // An image written into a style sheet would be inline.
    assetsInlineLimit: 0,
    // By it the portal names the scripts of a page in its first answer.
    manifest: 'scripts.json',
    modulePreload: { polyfill: false },
    target: 'es2023',
    // Few files: on a slow line each costs a round trip.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // The entry: small, because the first calls wait for it.
            { name: 'entry', priority: 1, test: early },
            {
              name: 'shared',
              minShareCount: 2,
              test: /^(?!.*(own-password|app-setup|qr-code|sign-in-steps|qrcode|simplewebauthn))/,
            },
          ],
        },
      },
    },
  },
});
