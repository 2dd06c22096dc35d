package transport

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"rollcall/redact"
)

// misshapen says what is wrong with an answer that is JSON, but not what MCP has
// at that place; false where err is something else. The server answered: nothing
// of the connection broke.
func misshapen(red *redact.Redactor, err error) (redact.Safe, bool) {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return redact.Safe{}, false
	}
	method := "a request"
	_, _ = fmt.Sscanf(err.Error(), "calling %q", &method) // the SDK's words around it
	place := redact.Word("it")
	if wrong.Field != "" {
		place = short(red, wrong.Field)
	}
	return redact.Sprintf("the answer to %s is not as MCP has it: %s is no %s", redact.Name(method), place, shape(wrong.Type)), true
}

// shape is what JSON calls a value of a type.
func shape(t reflect.Type) redact.Safe {
	if t == nil {
		return redact.Word("value that fits")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shape(t.Elem())
	case reflect.Struct, reflect.Map:
		return redact.Word("object")
	case reflect.Slice, reflect.Array:
		return redact.Word("list")
	case reflect.String:
		return redact.Word("string")
	case reflect.Bool:
		return redact.Word("boolean")
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Float64:
		return redact.Word("number")
	}
	return redact.Word("value that fits")
}

// wellShaped reports whether err says nothing of an answer's shape.
func wellShaped(err error) bool {
	var wrong *json.UnmarshalTypeError
	return !errors.As(err, &wrong)
}
