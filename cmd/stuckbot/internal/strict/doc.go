// Package strict decodes one YAML document into a struct and forgives nothing: an unknown or repeated key, a value of the
// wrong type, a tab, a second document and an unset variable are errors that name the file, the line, the key and the way
// out. It knows nothing of what is configured.
//
// A struct that is decoded may have two methods. SetDefaults, with a pointer receiver, fills in what the document does not
// say. Validate returns its mistakes, several of them joined; a mistake that has a method Key names the key below the
// struct that it is about.
//
// A field whose pointer is an encoding.TextUnmarshaler takes text.
//
// Durations are Go's, plus days: 7d, 1d12h. In scalar values, and nowhere else, ${NAME} stands for an environment variable,
// or for the content of the file that NAME_FILE names; $$ is a dollar sign. What a variable holds never becomes structure.
package strict
