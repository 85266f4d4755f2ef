/** The queries that GraphiQL opens with, each in its own tab. */
export const firstQueries: readonly string[] = [
  `# Ctrl-Enter runs this, Ctrl-Space completes.
# Ctrl-M lets the Tab key leave the editor.

query listPets($after: ID) {
  # For the next page, give the last id of this
  # one in the Variables tab: { "after": "20" }
  pets(status: available, after: $after) {
    id
    name
    categoryId
    status
  }
}
`,
  `mutation createPet {
  createPet(
    input: { name: "Rex", categoryId: 1, status: available }
  ) {
    id
    name
    categoryId
    status
  }
}
`,
  `# One animal, or several, by id.

query getPets {
  pets(ids: [1]) {
    id
    name
    categoryId
    status
  }
}
`,
];
