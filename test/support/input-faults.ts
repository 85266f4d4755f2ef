/** What extensions.faults tells beside a message: the inputs at fault, each by the first word of its part. */
export function faultsIn(message: string, pathOf = (name: string): string[] => [name]): object[] {
  return message.split('; ').map((part) => {
    const [name = ''] = part.split(' ');
    return { path: pathOf(name), message: part };
  });
}

/** The path of NewPet's fields, in `createPet(input:)`. */
export function pathInNewPet(name: string): string[] {
  return name === 'input' ? ['input'] : ['input', name];
}
