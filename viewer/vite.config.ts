import { defineConfig } from "vite";

// Three files under fixed names: the executable embeds them, serves them one by one, and
// puts them into one file for `residue report --html`.
export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2022",
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    rollupOptions: {
      output: {
        entryFileNames: "page.js",
        assetFileNames: "page[extname]",
        inlineDynamicImports: true,
      },
    },
  },
});
