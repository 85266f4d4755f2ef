/** Imported before a program (`node --import`), this prints a line when Prisma's engine has been loaded. */
WebAssembly.Instance = class extends WebAssembly.Instance {
  constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
    super(module, imports);
    if ('__wbindgen_start' in this.exports) {
      process.stdout.write('engine loaded\n');
    }
  }
};
