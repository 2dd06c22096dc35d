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
	place := redact.Word("it")
	if wrong.Field != "" {
		place = short(red, wrong.Field)
	}
	return redact.Sprintf("the answer to %s is not as MCP has it: %s is no %s", methodOf(err, redact.Word("a request")), place, shape(wrong.Type)), true
}

// methodOf is the method of the request that an error of the SDK's is about; what
// the error does not say is unknown.
func methodOf(err error, unknown redact.Safe) redact.Safe {
	var method string
	if _, scanned := fmt.Sscanf(err.Error(), "calling %q", &method); scanned != nil { // the SDK's words around it
		return unknown
	}
	return redact.Name(method)
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
